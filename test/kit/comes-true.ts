import { expect } from 'chai';

const PATIENCE_MS = 20_000;

/** Lets work go on beside the test until it has had its effect. */
export const comesTrue = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  let came = await holds();
  while (!came && performance.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
    came = await holds();
  }
  expect(came, 'what was waited for came true').to.equal(true);
};
