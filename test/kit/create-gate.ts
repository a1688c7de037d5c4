/** Returns a promise, and the function that fulfils it. */
export const createGate = <T = void>(): { readonly passed: Promise<T>; open(value: T): void } => {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
};
