import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Controls that take room: open on a wide window, folded on a phone. */
export const Folded = ({ title, children }: { title: string; children: ComponentChildren }) => {
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 48rem)').matches);
  return (
    <details class="folded" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {children}
    </details>
  );
};
