"""Pure functions of model data: HLO protos to graphs, layout, export, statistics."""
