"""HLO modules: from serialized protos to graphs and to texts of instructions."""
