/** A pattern whose group `v` is a secret. `accepts` returns false for a match that is no secret. */
export interface SecretForm {
  readonly pattern: RegExp;
  readonly accepts?: (value: string, text: string, at: number) => boolean;
}

const form = (source: string, flags = ''): SecretForm => ({ pattern: new RegExp(source, `dgu${flags}`) });

/** Patterns of keys by their prefixes, which issuers publish so that leaked keys are found. */
const PREFIXED: readonly string[] = [
  // Code hosts and package registries.
  'gh[opsur]_\\w{20,255}',
  'github_pat_\\w{20,255}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[\\w.-]{16,255}',
  'npm_\\w{20,255}',
  'pypi-[\\w-]{30,255}',
  'rubygems_\\w{20,255}',
  'dckr_[po]at_[\\w-]{20,255}',
  'ATATT3[\\w=-]{20,255}',
  'ATCTT3[\\w=-]{20,255}',
  // Clouds and infrastructure.
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
  'AIza[\\w-]{30,60}',
  'GOCSPX-[\\w-]{20,60}',
  'ya29\\.[\\w-]{20,255}',
  'do[opr]_v1_\\w{20,255}',
  'HRKU-[\\w-]{20,255}',
  'hv[sbr]\\.[\\w-]{20,255}',
  'dapi[0-9a-f]{32}',
  'dp\\.(?:pt|st|sa|ct|scim|audit)\\.[\\w.-]{20,255}',
  'pscale_\\w{2,10}_[\\w.-]{20,255}',
  'sb[ps]_[\\w-]{20,255}',
  'sb_secret_[\\w-]{16,255}',
  'vc[a-z]_[\\w-]{20,255}',
  'tskey-[\\w-]{16,255}',
  'pul-[0-9a-f]{40}',
  'PMAK-[\\w-]{20,255}',
  'NRAK-\\w{20,255}',
  'gl(?:c|sa)_[\\w=+/-]{20,255}',
  'sntry[su]_[\\w=+/-]{20,255}',
  'AGE-SECRET-KEY-1\\w{20,255}',
  // Models.
  '(?:sk|pk|rk)[-_][\\w-]{16,255}',
  'hf_\\w{20,255}',
  'gsk_\\w{20,255}',
  'r8_\\w{20,255}',
  'xai-\\w{20,255}',
  'pplx-\\w{20,255}',
  // Chat.
  'xox[a-z](?:\\.xox[a-z])?-[\\w-]{10,255}',
  'xapp-[\\w-]{10,255}',
  '[MNO][\\w-]{22,27}\\.[\\w-]{6}\\.[\\w-]{27,45}',
  '\\d{8,10}:AA[\\w-]{30,40}',
  // Mail and telephone.
  'SG\\.[\\w-]{16,64}\\.[\\w-]{16,64}',
  'key-(?=[a-z]*\\d)[0-9a-z]{32}',
  '[0-9a-f]{32}-us\\d{1,2}',
  'xkeysib-[\\w-]{20,255}',
  're_\\w{8,20}_\\w{16,60}',
  'SK[0-9a-f]{32}',
  // Payment and shops.
  'whsec_[\\w+/=-]{16,255}',
  'sq0[a-z]{3}-[\\w-]{20,60}',
  'EAAA[\\w-]{40,255}',
  'access_token\\$(?:production|sandbox)\\$[\\w$]{20,255}',
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
  // Other tools.
  'lin_(?:api|oauth)_\\w{20,255}',
  'ntn_\\w{20,255}',
  'secret_[A-Za-z0-9]{32,64}',
  'fig[dou]_[\\w-]{20,255}',
  'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}',
  // Signed tokens, digests of passwords, extended private keys of wallets.
  'eyJ[\\w-]{10,4000}\\.[\\w-]{5,4000}(?:\\.[\\w-]{0,4000}){0,3}',
  '\\$(?:2[abxy]|[156]|apr1|argon2(?:id|i|d))\\$[\\w./$=,+-]{16,255}',
  '[xyz]prv[A-Za-z0-9]{80,120}',
];

/** Webhook addresses of chats: anybody who knows one can post messages. */
const ADDRESSES: readonly string[] = [
  'hooks\\.slack\\.com/(?:services|workflows|triggers)/(?<v>[\\w/-]{10,255})',
  'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/(?<v>\\d{5,25}/[\\w-]{10,255})',
  'webhook\\.office\\.com/(?<v>[\\w@/-]{10,400})',
  'chat\\.googleapis\\.com/v1/spaces/[^\\s?]{1,80}\\?(?<v>[^\\s"\'<>]{10,400})',
  'api\\.telegram\\.org/bot(?<v>\\d{5,12}:[\\w-]{10,60})',
];

export const SECRET_FORMS: readonly SecretForm[] = [
  // A whole block of a private key, even if it is truncated, or is in one line with escaped line ends.
  form('-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?<v>[^]*?)(?:(?=-----END )|$)'),
  form('PuTTY-User-Key-File-[^]*?Private-Lines: \\d{1,4}(?<v>[^]*?)(?:(?=Private-MAC)|$)'),
  form(`(?<![\\w-])(?<v>${PREFIXED.join('|')})`),
  ...ADDRESSES.map((source) => form(source, 'i')),
  // Credentials in an address; a password may hold an unencoded @.
  form('\\b[a-z][a-z0-9+.-]{1,20}://[^\\s/@:"\'<>]{0,200}:(?<v>[^\\s/"\'<>]{1,200})@(?=[\\w[.-])', 'i'),
  form('\\bhttps?://(?<v>[\\w-]{16,200})@(?=[\\w.-])', 'i'),
  form(
    '[?&](?:\\w{0,30}(?:token|key|secret|passw(?:or)?d|pwd)|auth|sig|signature|code)=(?<v>[^\\s&#"\'<>]{6,2000})',
    'i',
  ),
  // Headers and arguments of programs.
  form('\\bauthorization["\']?\\s{0,3}[:=]\\s{0,3}["\']?(?:[A-Za-z-]{1,20} )?(?<v>[^\\s"\',;]{8,4000})', 'i'),
  form('\\b(?:[Bb]earer|BEARER|[Bb]asic)\\s{1,3}(?<v>(?=[a-z.~+/=_-]{0,60}[0-9A-Z])[\\w.~+/=-]{12,4000})'),
  form('\\b(?:set-)?cookie["\']?\\s{0,3}:\\s{0,3}["\']?(?<v>[^\\s=;]{1,80}=[^\\s"\']{8,4000})', 'i'),
  form('(?:^|\\s)(?:-u|--user)[ =]{1,2}["\']?[^\\s:"\']{1,80}:(?<v>[^\\s"\']{3,200})'),
  form('\\bsshpass\\s{1,3}-p\\s{0,3}["\']?(?<v>[^\\s"\']{3,200})'),
  form('\\bmysql\\w{0,10}\\s[^\\n]{0,120}?\\s-p(?<v>[^\\s"\']{3,200})'),
  form('\\blogin\\s{1,3}\\S{1,80}\\s{1,3}password\\s{1,3}(?<v>\\S{3,200})', 'i'),
];
