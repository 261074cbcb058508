"""One step of MuJoCo MJX, as a program of a library: a ball that carries a swinging rod."""

# jaxscope: step(data)

import mujoco
from mujoco import mjx

_MODEL = """
<mujoco>
  <option timestep="0.005" iterations="4" solver="Newton"/>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body pos="0 0 1">
      <freejoint/>
      <geom type="sphere" size="0.1" mass="1"/>
      <body pos="0 0 -0.3">
        <joint type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.05" mass="1"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

model = mjx.put_model(mujoco.MjModel.from_xml_string(_MODEL))
data = mjx.make_data(model)


def step(data):
    """Advance the simulation by one time step."""
    return mjx.step(model, data)
