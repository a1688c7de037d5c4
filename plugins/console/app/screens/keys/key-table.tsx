import type { ComponentChildren } from 'preact';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Tags } from '../../kit/tags.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import { useSession } from '../../session/session.ts';
import { fill, type Texts } from '../../texts/texts.ts';
import { type Key, nameOf } from './key.ts';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';

interface TableProps {
  readonly label: string;
  readonly keys: readonly Key[];
  readonly actions: Actions;
  readonly empty: ComponentChildren;
}

/** Keys without their secrets, which the node does not have. */
export const KeyTable = ({ label, keys, actions, empty }: TableProps) => {
  const { texts, own } = useSession('keys');
  return (
    <RecordTable
      label={label}
      columns={columnsOf(own, texts.never)}
      rows={keys}
      keyOf={({ id }) => id}
      empty={empty}
      actionsTitle={texts.actions}
      actions={(key) => (
        <>
          <Button
            text={own.rotate}
            aria-label={fill(own.rotateOf, { name: nameOf(key) })}
            onClick={() => actions.show(<RotateKey apiKey={key} actions={actions} />)}
          />
          <Button
            text={own.revoke}
            class="danger"
            aria-label={fill(own.revokeOf, { name: nameOf(key) })}
            onClick={() => actions.show(<RevokeKey apiKey={key} actions={actions} />)}
          />
        </>
      )}
    />
  );
};

const columnsOf = (texts: Texts['keys'], never: string): readonly Column<Key>[] => [
  {
    title: texts.key,
    show: ({ entity_uri: entity, description }) => (
      <>
        <ShownText text={entity} />
        {description !== null && (
          <div class="muted">
            <ShownText text={description} />
          </div>
        )}
      </>
    ),
  },
  { title: texts.permissions, show: ({ permissions }) => <Tags words={permissions} /> },
  { title: texts.scopes, show: ({ allowed_scopes: scopes }) => <Tags words={scopes} /> },
  { title: texts.created, show: ({ created_at: at }) => <Instant at={at} relative /> },
  { title: texts.lastUsed, show: ({ last_used_at: at }) => (at === null ? never : <Instant at={at} relative />) },
  { title: texts.expires, show: ({ expires_at: at }) => (at === null ? never : <Instant at={at} relative />) },
];
