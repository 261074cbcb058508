"""One step of a physics simulation: a double pendulum in MuJoCo MJX."""

import mujoco
from mujoco import mjx

# jaxscope: step(start())

PENDULUM = mujoco.MjModel.from_xml_string("""
<mujoco>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body pos="0 0 1">
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
      <body pos="0 0 -0.4">
        <joint name="elbow" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
      </body>
    </body>
  </worldbody>
</mujoco>
""")
MODEL = mjx.put_model(PENDULUM)


def start():
    return mjx.make_data(PENDULUM)


def step(data):
    return mjx.step(MODEL, data)
