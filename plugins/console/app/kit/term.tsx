import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A term of art. Its meaning appears below it while it has the focus or the pointer. */
export const Term = ({ means, children }: { means: string; children: ComponentChildren }) => {
  const id = useId();
  return (
    <>
      <button type="button" class="term" aria-describedby={id}>
        {children}
      </button>
      <span class="term-means" id={id} role="tooltip">
        {means}
      </span>
    </>
  );
};
