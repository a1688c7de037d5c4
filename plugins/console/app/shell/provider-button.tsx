import { useState } from 'preact/hooks';
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
      <button type="button" disabled={state === 'leaving'} onClick={leave}>
        {state === 'leaving' ? texts.working : texts.byProvider}
      </button>
      {(state === 'failed' || state === 'insecure') && (
        <p class="problem" role="alert">
          {state === 'failed' ? texts.providerUnreachable : texts.providerInsecure}
        </p>
      )}
    </div>
  );
};
