import type { ComponentChildren } from 'preact';

/** The result of an action. The element exists before it has text, so that screen readers announce the text. */
export const Notice = ({ children }: { children?: ComponentChildren }) => (
  <div class="notice" role="status">
    {children}
  </div>
);
