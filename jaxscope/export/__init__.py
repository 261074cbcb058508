"""A capture or a picture of it in the formats of other programs."""
