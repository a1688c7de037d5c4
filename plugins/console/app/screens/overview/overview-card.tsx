import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect } from 'preact/hooks';
import { useTexts } from '../../kit/use-texts.ts';
import { addressOf } from '../../shell/address.ts';

/** The function by which a card tells the overview whether it waits for a person. The overview ranks cards by it. */
export const NeedsContext = createContext<(needs: boolean) => void>(() => undefined);

interface OverviewCardProps {
  readonly title: string;
  /** The screen with details, if the key may see it. */
  readonly screen?: string | undefined;
  /** True if the card shows something that waits for a person. */
  readonly needs?: boolean;
  readonly children: ComponentChildren;
}

/** A card of the overview, with a link to its screen. */
export const OverviewCard = ({ title, screen, needs = false, children }: OverviewCardProps) => {
  const { overview: own } = useTexts();
  const id = useId();
  const tell = useContext(NeedsContext);
  useLayoutEffect(() => tell(needs), [needs]);
  return (
    <section class="card overview-card" data-needs={needs} aria-labelledby={id}>
      <h2 id={id}>{screen === undefined ? title : <a href={addressOf(screen)}>{title}</a>}</h2>
      {needs && (
        <p>
          <span class="tag warn">{own.needs}</span>
        </p>
      )}
      {children}
    </section>
  );
};
