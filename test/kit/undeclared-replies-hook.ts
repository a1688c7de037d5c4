import type { Context } from 'mocha';
import { takeUndeclaredReplies } from './check-replies.ts';

/** A mocha hook of every run: an undeclared reply fails the test, even if the test ignores it. */
export const mochaHooks = {
  afterEach(this: Context): void {
    const [first] = takeUndeclaredReplies();
    // Not thrown, because a root hook that throws ends the whole run.
    if (first !== undefined) (this.test as unknown as { error(error: Error): void }).error(first);
  },
};
