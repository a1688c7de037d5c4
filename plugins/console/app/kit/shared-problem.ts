import { useLayoutEffect, useState } from 'preact/hooks';

/** A message with its places on the screen; the first one shows it. */
interface Shared {
  readonly places: Set<Place>;
}

interface Place {
  retry: (() => void) | undefined;
  readonly draw: () => void;
}

const shared = new Map<string, Shared>();

export interface SharedProblem {
  /** True in the one place that shows the message. */
  readonly isShown: boolean;
  /** Tries again in every place with the message. */
  readonly retryAll: () => void;
}

/**
 * Joins equal messages of the parts of a screen into one, so that a node that is away is not reported by every part. A
 * message without `retry` tells of something that a person did, and always stands by itself.
 */
export const useSharedProblem = (message: string, retry: (() => void) | undefined): SharedProblem => {
  const [, draw] = useState(0);
  const [place] = useState<Place>(() => ({ retry, draw: () => draw((round) => round + 1) }));
  place.retry = retry;
  const isOfPart = retry !== undefined;
  useLayoutEffect(() => {
    if (!isOfPart) return;
    const { places } = shared.get(message) ?? { places: new Set<Place>() };
    shared.set(message, { places });
    places.add(place);
    place.draw();
    return () => {
      places.delete(place);
      if (places.size === 0) shared.delete(message);
      for (const other of places) other.draw();
    };
  }, [message, isOfPart]);
  const places = isOfPart ? shared.get(message)?.places : undefined;
  const [first] = places ?? [];
  return {
    isShown: first === undefined || first === place,
    retryAll: () => {
      for (const each of [...(places ?? [])]) each.retry?.();
    },
  };
};
