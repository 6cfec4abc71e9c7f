"""What the commands share: options, output, the live view, signals."""
