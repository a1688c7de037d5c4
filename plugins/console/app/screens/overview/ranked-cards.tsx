import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { NeedsContext } from './overview-card.tsx';

export interface RankedCard {
  readonly name: string;
  readonly card: ComponentChildren;
}

/** Shows cards that need somebody before the others, each group in the given order, the gravest first. */
export const RankedCards = ({ cards }: { cards: readonly RankedCard[] }) => {
  const [needy, setNeedy] = useState<ReadonlySet<string>>(new Set());
  const take = (name: string, needs: boolean): void =>
    setNeedy((before) => {
      const others = [...before].filter((each) => each !== name);
      return new Set(needs ? [...others, name] : others);
    });
  const ranked = [...cards.filter(({ name }) => needy.has(name)), ...cards.filter(({ name }) => !needy.has(name))];
  return (
    <div class="cards overview-cards">
      {ranked.map(({ name, card }) => (
        <NeedsContext.Provider key={name} value={(needs) => take(name, needs)}>
          {card}
        </NeedsContext.Provider>
      ))}
    </div>
  );
};
