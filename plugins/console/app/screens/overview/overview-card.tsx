import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { addressOf } from '../../shell/address.ts';

interface OverviewCardProps {
  readonly title: string;
  /** The screen with details, if the key may see it. */
  readonly screen?: string | undefined;
  readonly children: ComponentChildren;
}

/** A card of the overview, with a link to its screen. */
export const OverviewCard = ({ title, screen, children }: OverviewCardProps) => {
  const id = useId();
  return (
    <section class="card overview-card" aria-labelledby={id}>
      <h2 id={id}>{screen === undefined ? title : <a href={addressOf(screen)}>{title}</a>}</h2>
      {children}
    </section>
  );
};
