"""Models released from trusted data: their accuracy, the papers reproduced, the guarantees put to the test."""
