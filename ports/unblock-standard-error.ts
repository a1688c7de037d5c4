/**
 * Lets writes to standard error return at once, also while its pipe is full. A process that ends makes the pipe block
 * again for all processes that share it, so this precedes each write.
 */
export const unblockStandardError = (): void => {
  if (process.stderr.isTTY) return;
  const { _handle } = process.stderr as { _handle?: { setBlocking?(blocks: boolean): unknown } };
  _handle?.setBlocking?.(false);
};
