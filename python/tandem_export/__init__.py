"""Writes trained agents for other programs: ONNX, PyTorch, and folders for model hubs.

`tandem export` runs it. It imports neither tandem nor torch: an agent comes as two files, which
`tandem export --parts` writes. network.json describes the network, in the form that
src/tandem/nn/architecture_json.h and src/tandem/trainer/agent_description.h define.
model.safetensors has its parameters.
"""
