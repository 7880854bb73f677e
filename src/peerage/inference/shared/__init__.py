"""The sampler of the model in which components share merit and halo (docs/model.md, equations S1 to S12)."""
