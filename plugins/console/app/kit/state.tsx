import type { ComponentChildren } from 'preact';
import { Problem } from './problem.tsx';
import type { RequestState } from './use-request.ts';
import { useTexts } from './use-texts.ts';

/** Grey lines in the place of content that loads, with a message that screen readers announce. */
export const Loading = () => (
  <div class="loading" role="status">
    <span class="unseen">{useTexts().loading}…</span>
    <span class="skeleton" aria-hidden="true" />
  </div>
);

interface EmptyProps {
  readonly title: string;
  /** The next step in words. Children take its place where it is more than a sentence. */
  readonly hint?: string;
  readonly children?: ComponentChildren;
}

/** Shown for an empty list, with a hint for the next step. */
export const Empty = ({ title, hint, children = hint && <p>{hint}</p> }: EmptyProps) => (
  <div class="empty">
    <strong>{title}</strong>
    {children !== undefined && <div>{children}</div>}
  </div>
);

/** The content for a loaded answer; until then a loading message or the error. */
export const Answer = <T,>({
  asked,
  children,
}: {
  asked: RequestState<T>;
  children: (data: T) => ComponentChildren;
}) => {
  const { data, error, isLoading, reload } = asked;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data === undefined ? isLoading && <Loading /> : <div aria-busy={isLoading}>{children(data)}</div>}
    </>
  );
};
