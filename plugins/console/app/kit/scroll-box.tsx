import type { ComponentChildren } from 'preact';

interface ScrollBoxProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Wide content that scrolls by itself, such as a table or a long value. */
export const ScrollBox = ({ label, class: name = 'scroll', children }: ScrollBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls by itself has to be reached by keyboard
  <section class={name} tabIndex={0} aria-label={label}>
    {children}
  </section>
);
