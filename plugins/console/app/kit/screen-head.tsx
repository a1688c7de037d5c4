import type { ComponentChildren } from 'preact';

interface HeadProps {
  readonly title: ComponentChildren;
  /** The heading level: 1 for a screen, 2 for a part of it. */
  readonly level?: 1 | 2;
  readonly children?: ComponentChildren;
}

/** The heading of a screen or of a part, with its actions beside it. */
export const ScreenHead = ({ title, level = 1, children }: HeadProps) => (
  <header class="screen-head">
    {level === 1 ? <h1>{title}</h1> : <h2>{title}</h2>}
    <div class="actions">{children}</div>
  </header>
);
