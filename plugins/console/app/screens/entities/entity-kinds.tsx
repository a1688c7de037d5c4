import { useId } from 'preact/hooks';
import { ShownText } from '../../kit/shown-text.tsx';
import { useSession } from '../../session/session.ts';
import { fill, spellNumber } from '../../texts/texts.ts';
import type { FoundEntity } from './found-entities.ts';
import { kindsOf, ORDERS, type Order } from './kinds-of.ts';

interface KindsProps {
  readonly found: readonly FoundEntity[];
  /** The number of facts that were read. */
  readonly read: number;
  /** The chosen kind; undefined for all. */
  readonly kind: string | undefined;
  readonly order: Order;
  readonly onKind: (kind: string | undefined) => void;
  readonly onOrder: (order: Order) => void;
}

/** Chooses a kind of entities, each with its number, and the order of the list. */
export const EntityKinds = ({ found, read, kind, order, onKind, onOrder }: KindsProps) => {
  const { entities: own } = useSession().texts;
  const id = useId();
  return (
    <>
      <div class="bar">
        <fieldset class="kinds grow" aria-label={own.kinds}>
          <button type="button" aria-pressed={kind === undefined} onClick={() => onKind(undefined)}>
            {own.allKinds} <span class="muted">{spellNumber(found.length)}</span>
          </button>
          {kindsOf(found).map(([name, count]) => (
            <button key={name} type="button" aria-pressed={kind === name} onClick={() => onKind(name)}>
              {name === '' ? own.noKind : <ShownText text={name} />} <span class="muted">{spellNumber(count)}</span>
            </button>
          ))}
        </fieldset>
        <span class="inline-field">
          <label for={id}>{own.sort}</label>
          <select id={id} value={order} onChange={({ currentTarget }) => onOrder(currentTarget.value as Order)}>
            {ORDERS.map((each) => (
              <option key={each} value={each}>
                {own.orders[each]}
              </option>
            ))}
          </select>
        </span>
      </div>
      <p class="hint">{fill(own.counted, { count: read })}</p>
    </>
  );
};
