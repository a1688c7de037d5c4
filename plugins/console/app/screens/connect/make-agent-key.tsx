import type { BodyOf } from '../../../../../client/client.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { drawKey } from '../../kit/draw-secret.ts';
import { mayBeDone } from '../../kit/may-be-done.ts';
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
  const entity = `agent:${name}`;
  const show = (message: string, text: string): void => {
    onMade(rawKey);
    actions.done(
      fill(message, { entity }),
      <SecretDialog title={own.keyTitle} secret={rawKey} text={text} onClose={actions.close} />,
    );
  };
  try {
    await client.call('POST /v1/auth/keys', {
      body: {
        raw_key: rawKey,
        entity_uri: entity,
        permissions: [...RIGHTS],
        allowed_scopes: [...reader.allowed_scopes] as NonNullable<BodyOf<'POST /v1/auth/keys'>['allowed_scopes']>,
        description: title,
      },
    });
    show(own.madeKey, own.keyText);
  } catch (error) {
    if (mayBeDone(error)) {
      show(texts.keys.unheard, texts.keys.unheardText);
      return;
    }
    actions.show(
      <Dialog title={own.keyTitle} onClose={actions.close}>
        <Problem error={error} />
      </Dialog>,
    );
  }
};
