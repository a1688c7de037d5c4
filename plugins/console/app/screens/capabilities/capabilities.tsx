import type { AnswerOf } from '../../../../../client/client.ts';
import { Button } from '../../kit/button.tsx';
import { Instant } from '../../kit/instant.tsx';
import { RecordLine } from '../../kit/record-line.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Empty } from '../../kit/state.tsx';
import { type Actions, useActions } from '../../kit/use-actions.tsx';
import { usePaged } from '../../kit/use-paged.ts';
import { VirtualRows } from '../../kit/virtual-rows.tsx';
import { may, useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';
import { IssueToken } from './issue-token.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { VerifyToken } from './verify-token.tsx';

export type Token = AnswerOf<'GET /v1/federation/capability-tokens'>['tokens'][number];

const PAGE_TOKENS = 100;

export const Capabilities = () => {
  const { client, texts, reader, own } = useSession('capabilities');
  const tokens = usePaged<Token>(async (cursor, signal) => {
    const query = { limit: PAGE_TOKENS, ...(cursor && { cursor }) };
    const page = await client.call('GET /v1/federation/capability-tokens', { query, signal });
    return { items: page.tokens, cursor: page.cursor };
  }, []);
  const actions = useActions(tokens.reload);
  const canWrite = may(reader, 'write');
  return (
    <>
      <ScreenHead title={texts.screens.capabilities}>
        <Button text={own.verify} onClick={() => actions.show(<VerifyToken onClose={actions.close} />)} />
        {canWrite && (
          <Button text={own.issue} class="primary" onClick={() => actions.show(<IssueToken actions={actions} />)} />
        )}
      </ScreenHead>
      <p class="lead">{own.lead}</p>
      {actions.view}
      <VirtualRows
        label={texts.screens.capabilities}
        paged={tokens}
        keyOf={({ token_id: id }) => id}
        empty={<Empty title={own.nothing} hint={canWrite ? own.nothingHint : own.nothingHintRead} />}
      >
        {(token) => <TokenLine token={token} actions={canWrite ? actions : undefined} />}
      </VirtualRows>
    </>
  );
};

const TokenLine = ({ token, actions }: { token: Token; actions: Actions | undefined }) => {
  const { own } = useSession('capabilities');
  const { subject, verb, object, issuer, status, expiry } = token;
  return (
    <RecordLine
      head={
        <>
          <ShownText text={subject} />
          <span class="tag">{verb}</span>
          <ShownText text={object} />
        </>
      }
      about={
        <>
          <span class={`tag ${STATUS_CLASS[status]}`}>{own.statuses[status]}</span>
          <span>
            {own.by} <ShownText text={issuer} />
          </span>
          <span>
            {own.until} <Instant at={expiry} relative />
          </span>
          <code class="shown">{token.token_id}</code>
        </>
      }
      actions={
        actions !== undefined &&
        status === 'active' && (
          <Button
            text={own.revoke}
            class="danger"
            aria-label={fill(own.revokeOf, { name: subject })}
            onClick={() => actions.show(<RevokeToken id={token.token_id} name={subject} actions={actions} />)}
          />
        )
      }
    />
  );
};

const STATUS_CLASS = { active: 'good', expired: '', revoked: 'bad' } as const;
