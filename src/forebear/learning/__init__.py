"""learn(), find_network() and the other public functions that run several steps."""
