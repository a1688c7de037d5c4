import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { AuthenticationError, FactClient } from '../../../../client/client.ts';
import { Button } from '../kit/button.tsx';
import { Field } from '../kit/field.tsx';
import { network, nodeUrl } from '../kit/platform.ts';
import { Problem } from '../kit/problem.tsx';
import { useTexts } from '../kit/use-texts.ts';
import type { Reader } from '../session/session.ts';
import { ProviderButton } from './provider-button.tsx';

export interface SignedIn {
  readonly hasKey: boolean;
  readonly client: FactClient;
  readonly reader: Reader;
}

/**
 * Signs in with a key, or without one as the node's open reader. Rejects for a refused key. Calls `onRefused` when the
 * node refuses the key later, because a key may expire or be revoked meanwhile.
 */
export const signInWith = async (key: string | undefined, onRefused: () => void): Promise<SignedIn> => {
  let isKnown = false;
  const watched: typeof fetch = async (...request) => {
    const response = await network(...request);
    if (response.status === 401 && isKnown) onRefused();
    return response;
  };
  const client = new FactClient({
    url: nodeUrl(),
    ...(key !== undefined && { key }),
    retries: 1,
    fetch: watched,
  });
  const reader = await client.me();
  isKnown = true;
  return { hasKey: key !== undefined, client, reader };
};

interface SignInProps {
  /** The name of the product. */
  readonly product: string;
  /** The reason why the reader is asked again. */
  readonly notice: string | undefined;
  readonly hasProvider: boolean;
  /** Signs in with a key. Rejects for a refused key. */
  readonly signIn: (key: string, keep: boolean) => Promise<void>;
  /** Continues without a key; undefined if the node requires one. */
  readonly enterOpenly: (() => Promise<void>) | undefined;
  /** The failure of an attempt to go on without this form. */
  readonly children: ComponentChildren;
}

/** Asks for a key. It is sent only in a header of requests to this node. */
export const SignIn = ({ product, notice, hasProvider, signIn, enterOpenly, children }: SignInProps) => {
  const { signIn: texts } = useTexts();
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState(true);
  const [error, setError] = useState<unknown>();
  const [isWorking, setWorking] = useState(false);
  const attempt = async (enter: () => Promise<void>): Promise<void> => {
    setWorking(true);
    setError(undefined);
    try {
      await enter();
    } catch (problem) {
      setError(problem);
      setWorking(false);
    }
  };
  return (
    <main class="sign-in" id="content">
      <p class="brand">{product}</p>
      <h1>{texts.title}</h1>
      <p>{notice ?? (enterOpenly === undefined ? texts.intro : texts.introOpen)}</p>
      {children}
      {hasProvider && <ProviderButton />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(() => signIn(key.trim(), keep));
        }}
      >
        <Field label={texts.key} hint={enterOpenly === undefined ? texts.where : undefined}>
          {(ids) => (
            <input
              {...ids}
              type="password"
              autoComplete="current-password"
              required
              value={key}
              onInput={({ currentTarget }) => setKey(currentTarget.value)}
            />
          )}
        </Field>
        <label class="check">
          <input type="checkbox" checked={keep} onChange={({ currentTarget }) => setKeep(currentTarget.checked)} />
          {texts.keep}
        </label>
        {error instanceof AuthenticationError ? (
          <p class="problem" role="alert">
            {texts.refused}
          </p>
        ) : (
          error !== undefined && <Problem error={error} />
        )}
        <div class="bar">
          <button type="submit" class="primary" disabled={isWorking}>
            {isWorking ? texts.working : texts.submit}
          </button>
          {enterOpenly !== undefined && (
            <Button text={texts.withoutKey} disabled={isWorking} onClick={() => void attempt(enterOpenly)} />
          )}
        </div>
      </form>
    </main>
  );
};
