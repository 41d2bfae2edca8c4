// Whoever uses bough may write this: it compiles where warnings of bough's own are no errors.
int careless(int unused) {
  int never_read;
  return 1;
}
