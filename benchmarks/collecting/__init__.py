"""From the page to the disk: its weight and its coins, the server under load, faults and fuzz."""
