import { useLayoutEffect, useState } from 'preact/hooks';
import { Field } from '../../kit/field.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { Subject } from './subject.tsx';
import { TombstoneList } from './tombstone-list.tsx';

/** Hides, destroys or exports the facts about an entity. Without one it lists the tombstones of the tenant. */
export const Erasure = () => {
  const { texts, own } = useSession('erasure');
  const { query, open } = useAddress();
  const [entity, setEntity] = useState(query.entity ?? '');
  // Also follows a step back in the history.
  useLayoutEffect(() => {
    if (query.entity !== undefined) setEntity(query.entity);
  }, [query.entity]);
  return (
    <>
      <ScreenHead title={texts.screens.erasure} />
      <p class="lead">{own.lead}</p>
      <form
        class="asked"
        onSubmit={(event) => {
          event.preventDefault();
          if (entity.trim() !== '') open('erasure', { entity: entity.trim() });
        }}
      >
        <Field label={own.entity} hint={own.entityHint}>
          {(ids) => <input {...ids} value={entity} onInput={({ currentTarget }) => setEntity(currentTarget.value)} />}
        </Field>
        <button type="submit">{own.show}</button>
      </form>
      {query.entity === undefined ? <TombstoneList /> : <Subject key={query.entity} entity={query.entity} />}
    </>
  );
};
