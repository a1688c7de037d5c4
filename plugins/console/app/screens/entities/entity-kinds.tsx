import { useId } from 'preact/hooks';
import { ShownText } from '../../kit/shown-text.tsx';
import { useSession } from '../../session/session.ts';
import { fill, spellNumber } from '../../texts/texts.ts';
import { byCount, type KindCount, ORDERS, type Order, sumOf } from './kinds-of.ts';

interface KindsProps {
  /** Undefined until they were counted. */
  readonly kinds: readonly KindCount[] | undefined;
  /** A sentence about the facts that the list and the counts come from. */
  readonly counted: string;
  /** The chosen kind; undefined for all. */
  readonly kind: string | undefined;
  readonly order: Order;
  readonly onKind: (kind: string | undefined) => void;
  readonly onOrder: (order: Order) => void;
}

/** Chooses a kind of entities, each with its number, and the order of the list. */
export const EntityKinds = ({ kinds, counted, kind, order, onKind, onOrder }: KindsProps) => {
  const { own } = useSession('entities');
  const id = useId();
  return (
    <>
      <div class="bar">
        <fieldset class="kinds grow" aria-label={own.kinds}>
          <button type="button" aria-pressed={kind === undefined} onClick={() => onKind(undefined)}>
            {own.allKinds} {kinds !== undefined && <Count of={sumOf(kinds)} />}
          </button>
          {byCount(kinds ?? []).map((each) => (
            <button key={each.kind} type="button" aria-pressed={kind === each.kind} onClick={() => onKind(each.kind)}>
              {each.kind === '' ? own.noKind : <ShownText text={each.kind} />} <Count of={each} />
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
      <p class="hint">{counted}</p>
    </>
  );
};

const Count = ({ of: { count, isMore } }: { of: KindCount }) => {
  const { own } = useSession('entities');
  return <span class="muted">{isMore ? fill(own.orMore, { count }) : spellNumber(count)}</span>;
};
