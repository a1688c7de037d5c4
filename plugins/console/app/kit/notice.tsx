import type { ComponentChildren } from 'preact';

/** What came of an action, said to readers of screens too: its place is in the page before there is anything to say. */
export const Notice = ({ children }: { children?: ComponentChildren }) => (
  <div class="notice" role="status">
    {children}
  </div>
);
