"""HLO modules: from serialized protos to graphs, and from text lines to instructions."""
