"""What is known of the network before it is learnt: one object, whatever the files were."""
