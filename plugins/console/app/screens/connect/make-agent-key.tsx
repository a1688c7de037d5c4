import type { BodyOf } from '../../../../../client/client.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { drawKey } from '../../kit/draw-secret.ts';
import { Problem } from '../../kit/problem.tsx';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import type { Actions } from '../../kit/use-actions.tsx';
import type { Session } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import type { Lines } from './client-steps.tsx';

interface Making {
  readonly session: Session;
  readonly actions: Actions;
  /** Called with the key, so that the test can use it. */
  readonly onMade: (key: string) => void;
}

/** The rights of an agent: it reads, and writes what it learns. */
const RIGHTS = ['read', 'write'] as const;

/** Registers a key for an agent of this client, and shows it once. */
export const makeAgentKey = async ({ name, title }: Lines, { session, actions, onMade }: Making): Promise<void> => {
  const { client, texts, reader } = session;
  const { connect: own } = texts;
  const rawKey = drawKey();
  try {
    const { entity_uri: entity } = await client.call('POST /v1/auth/keys', {
      body: {
        raw_key: rawKey,
        entity_uri: `agent:${name}`,
        permissions: [...RIGHTS],
        allowed_scopes: [...reader.allowed_scopes] as NonNullable<BodyOf<'POST /v1/auth/keys'>['allowed_scopes']>,
        description: title,
      },
    });
    onMade(rawKey);
    actions.done(
      fill(own.madeKey, { entity }),
      <SecretDialog title={own.keyTitle} secret={rawKey} text={own.keyText} onClose={actions.close} />,
    );
  } catch (error) {
    actions.show(
      <Dialog title={own.keyTitle} onClose={actions.close}>
        <Problem error={error} />
      </Dialog>,
    );
  }
};
