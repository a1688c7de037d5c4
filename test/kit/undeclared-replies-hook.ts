import type { Context } from 'mocha';
import { takeUndeclaredReplies } from './check-replies.ts';

/** Loaded by every run: an undeclared reply fails the test, even if the test ignores it. */
export const mochaHooks = {
  afterEach(this: Context): void {
    const [first] = takeUndeclaredReplies();
    // Not thrown: a root hook that throws ends the run.
    if (first !== undefined) (this.test as unknown as { error(error: Error): void }).error(first);
  },
};
