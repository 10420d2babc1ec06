"""What serves every stage and knows none: validation, files, long calls, progress."""
