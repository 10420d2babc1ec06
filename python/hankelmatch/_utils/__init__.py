"""Helpers of all other folders: validation, types, files, long calls, progress."""
