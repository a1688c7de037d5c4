import type { ComponentChildren } from 'preact';
import { Problem } from './problem.tsx';
import type { Asked } from './use-asked.ts';
import { useTexts } from './use-texts.ts';

/** Says that something is being fetched, to readers of screens too. */
export const Loading = () => (
  <p class="loading" role="status">
    {useTexts().loading}…
  </p>
);

/** What a reader sees where there is nothing yet, and what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <strong>{title}</strong>
    {children !== undefined && <div>{children}</div>}
  </div>
);

/** An answer of the node once it is there; until then that it is on its way, or what went wrong. */
export const Answer = <T,>({ asked, children }: { asked: Asked<T>; children: (data: T) => ComponentChildren }) => {
  const { data, error, isLoading, reload } = asked;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data === undefined ? isLoading && <Loading /> : <div aria-busy={isLoading}>{children(data)}</div>}
    </>
  );
};
