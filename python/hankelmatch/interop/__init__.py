"""To and from the objects of other packages: `hankelmatch.interop.splearn`."""
