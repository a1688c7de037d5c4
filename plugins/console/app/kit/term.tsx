import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { addressOf } from '../shell/address.ts';
import { useTexts } from './use-texts.ts';

interface TermProps {
  /** The name of the term on the screen of terms. */
  readonly name: string;
  readonly means: string;
  /** A name for screen readers where the shown text is none. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A term of art. Its meaning appears below it while it has the focus or the pointer, with a link to all terms. */
export const Term = ({ name, means, label, children }: TermProps) => {
  const { terms } = useTexts();
  const id = useId();
  return (
    <span class="term-place">
      <button type="button" class="term" aria-label={label} aria-describedby={id}>
        {children}
      </button>
      <span class="term-means">
        <span id={id} role="tooltip">
          {means}
        </span>{' '}
        <a href={`${addressOf('terms')}#${name}`}>{terms.more}</a>
      </span>
    </span>
  );
};
