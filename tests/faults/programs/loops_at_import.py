"""An endless loop while the file is imported."""

# jaxscope: f(f32[3])
print("looping")
while True:
    pass
