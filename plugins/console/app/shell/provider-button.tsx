import { useState } from 'preact/hooks';
import { Button } from '../kit/button.tsx';
import { isTrustedPage } from '../kit/platform.ts';
import { useTexts } from '../kit/use-texts.ts';
import { leaveForProvider } from '../session/provider-sign-in.ts';

/** Signs in with the node's identity provider. */
export const ProviderButton = () => {
  const { signIn: texts } = useTexts();
  const [state, setState] = useState<'ready' | 'leaving' | 'failed' | 'insecure'>('ready');
  const leave = (): void => {
    // Without digests there is no verifier.
    if (!isTrustedPage()) {
      setState('insecure');
      return;
    }
    setState('leaving');
    leaveForProvider().catch(() => setState('failed'));
  };
  return (
    <div class="provider">
      <Button
        text={state === 'leaving' ? texts.working : texts.byProvider}
        disabled={state === 'leaving'}
        onClick={leave}
      />
      {(state === 'failed' || state === 'insecure') && (
        <p class="problem" role="alert">
          {state === 'failed' ? texts.providerUnreachable : texts.providerInsecure}
        </p>
      )}
    </div>
  );
};
