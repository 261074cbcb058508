/* What the object files of this folder were made of, for each system and processor, by

       clang -c -O2 -ffreestanding -fno-builtin -fno-asynchronous-unwind-tables \
           --target=TARGET program.c -o OBJECT
       llvm-objdump -d -r OBJECT

   of LLVM 14; what the second prints lies beside each object. `windows-xla.o` is of XLA, as JAX
   0.10 wrote it on Windows for `sin(x) * 3.25`. */

extern float sinf(float);
extern int counter, far[];
int own = 3;
static volatile int table[8];

float scale(float x) { return sinf(x) * 3.1f + 0.1f; }

double wide(double x) { return x * 1.1 + 2.7; }

void flip(float *x) {
  int *bits = (int *)x;
  for (int i = 0; i < 4; i++) bits[i] ^= i * 0x01010101 + 0x01020304;
}

int peek(void) { return table[3]; }

int store(int x) {
  counter = 5;
  own += 1;
  table[5] = 0x1234;
  return table[x] + far[3];
}
