import { useState } from 'preact/hooks';
import { NotFoundError } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Problem } from '../../kit/problem.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty, Loading } from '../../kit/state.tsx';
import { useActions } from '../../kit/use-actions.tsx';
import { useRequest } from '../../kit/use-request.ts';
import { hasRoute, may, useSession } from '../../session/session.ts';
import { IntentTrial } from './intent-trial.tsx';
import { ManifestDraft } from './manifest-draft.tsx';
import { ManifestView } from './manifest-view.tsx';

/**
 * The manifest of one agent, to read or to publish a new version of, with a preview of the instructions for an intent.
 */
export const AgentInstructions = ({ agent }: { agent: string }) => {
  const { client, reader, setup, own } = useSession('instructions');
  const [isDraft, setDraft] = useState(false);
  const asked = useRequest(
    (signal) => client.call('GET /v1/agents/{agent_id}/instruction-manifest', { params: { agent_id: agent }, signal }),
    [agent],
  );
  const actions = useActions(asked.reload);
  const isMissing = asked.error instanceof NotFoundError;
  if (asked.error !== undefined && !isMissing) return <Problem error={asked.error} retry={asked.reload} />;
  if (asked.data === undefined && !isMissing) return <Loading />;
  const manifest = isMissing ? undefined : asked.data;
  const canWrite =
    may(reader, 'write') &&
    (may(reader, 'admin', 'instruction:write') || reader.entity_uri === `agent:${agent}`) &&
    hasRoute(setup, 'PUT /v1/agents/{agent_id}/instruction-manifest');
  if (isDraft) {
    return (
      <ManifestDraft
        agent={agent}
        manifest={manifest}
        onClose={() => setDraft(false)}
        onPublished={(message) => {
          setDraft(false);
          actions.done(message);
        }}
      />
    );
  }
  return (
    <>
      <section>
        <ScreenHead title={<ShownText text={agent} />} level={2}>
          {canWrite && (
            <Button
              text={manifest === undefined ? own.writeFirst : own.writeNext}
              class="primary"
              onClick={() => setDraft(true)}
            />
          )}
        </ScreenHead>
        {actions.view}
        {manifest === undefined ? (
          <Empty title={own.noManifest} hint={canWrite ? own.noManifestHint : own.noManifestRead} />
        ) : (
          <ManifestView manifest={manifest} />
        )}
      </section>
      {manifest !== undefined && hasRoute(setup, 'POST /v1/agents/{agent_id}/recall-instruction') && (
        <IntentTrial agent={agent} names={manifest.entries.map(({ name }) => name)} />
      )}
    </>
  );
};
