/** Returns the error of a rejected promise. Fails if the promise resolves, or rejects with anything but an error. */
export const rejection = async (promise: PromiseLike<unknown>): Promise<Error & Record<string, unknown>> => {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error as Error & Record<string, unknown>;
    throw error;
  }
  throw new Error('expected a rejection');
};
