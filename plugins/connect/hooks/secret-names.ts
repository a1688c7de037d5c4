/**
 * Names of secrets that people choose, in the languages that the search supports. The value after such a name may be a
 * plain word. Patterns include inflected forms, and compounds that end with a name match too.
 */
const PASSWORDS: readonly string[] = [
  'pass(?:word|wd|phrase|code)s?|(?<![\\p{L}\\p{N}])(?:pwd|pass|pw)',
  '(?:pass|kenn|losungs)wort(?:s|es|e)?|kennwörter|passwörter|geheimzahl|geheimcode|zugangs(?:code|daten)|sicherheitscode',
  "mots? de passe|(?<!\\p{L})mdp|phrase secrète|code (?:secret|d['’]accès)",
  'contraseñas?|(?<!\\p{L})clave (?:secreta|de acceso|del? \\p{L}{1,15})|(?<!\\p{L})(?:mi|la|su|tu) clave|código (?:secreto|de acceso)|contrasenya',
  'senhas?|palavra-passe|código de acesso',
  "parol[ae] d['’]ordine|codice (?:segreto|di accesso)|parola chiave segreta",
  'wachtwoord(?:en)?|wachtzin|toegangscode|pincode',
  'lösenord(?:et)?|adgangskoden?|kodeord(?:et)?|passord(?:et)?|salasana(?:n|ni|ksi)?|tunnussana',
  'парол(?:ь|я|ю|ем|и|ей)|пин-?код(?:а|ом)?|кодов(?:ое|ого) слов(?:о|а)',
  'hasł(?:o|a|em|u)|heslo|hesla|jelszó|jelszava|parol(?:ă|a|ei)|şifre(?:si|m|n|miz)?|parolası|lozink[aeu]|geslo',
  'κωδικ(?:ός|ού|ό)|συνθηματικ(?:ό|ού)',
  'كلم(?:ة|ه) (?:ال)?(?:مرور|سر)|الرقم السري|رمز (?:ال)?(?:مرور|عبور|دخول)|گذرواژه',
  'סיסמ[האת]|पासवर्ड|कूटशब्द|পাসওয়ার্ড|கடவுச்சொல்',
  '密码|密碼|口令|暗号(?=[:はが是])|パスワード|パスフレーズ|暗証番号|合言葉|비밀번호|패스워드|암호(?=[:는가를은\\s])',
  'รหัสผ่าน|kata sandi|mật khẩu',
  'credentials?|(?<!\\p{L})pin[- ]?(?:code|number|kod)|(?:my|our|door|gate|card|bank) pin|(?:one-time|door|gate|alarm|safe|recovery|verification|security|unlock|backup) codes?|combination(?= (?:of|for|to) )|OTP',
  '(?:seed|recovery|secret) (?:phrase|words)|mnemonic',
];

/** Names of secrets that machines generate. A value after such a name contains a digit or a special character. */
const KEYS: readonly string[] = [
  '(?:api|app|access|account|auth|private|secret|signing|encryption|license|licence|master|service|shared|ssh|storage|webhook|deploy|admin)[-_ ]?key(?:s|[-_ ]?id)?',
  'secrets?|tokens?|jwt|client[-_ ]?secret|(?:session|sess)[-_ ]?id',
  '(?:api|zugriffs|zugangs|geheim|lizenz|verschlüsselungs|signatur)[- ]?schlüssel(?:s|n)?|geheimnis(?:ses)?|schlüssel(?= (?:der|des|für|zur|zum|ist|lautet))',
  "clés? (?:d['’]api|api|secrète|privée|d['’]accès|de licence)|jetons?",
  'claves? (?:api|privada|de api)|llave (?:api|privada|secreta)|secreto|chaves? (?:secreta|privada|de acesso|da api|de api|api)|segredo',
  "chiav[ei] (?:segreta|privata|api|di accesso|dell['’]api)|segreto|gettone",
  '(?:api|toegangs|geheime|privé)[- ]?sleutel|geheim|(?:api|hemlig|privat)[- ]?nyckel(?:n)?|hemlighet(?:en)?|api[- ]?nøgle(?:n)?|api[- ]?nøkkel(?:en)?|hemmelighet(?:en)?|api[- ]?avain',
  '(?:api[- ]?|секретн\\p{L}{2,3} |приватн\\p{L}{2,3} )ключ(?:а|ом|і)?|токен(?:а|ом|у)?|секрет(?:а|ом)?',
  'klucz(?:a|em)? (?:api|dostępu|prywatny)|klíč (?:api|k api)|api[- ]?(?:kulcs|klíč|klucz|anahtarı)|anahtarı|sekret(?:u|em)?|cheie (?:api|privată)|jeton(?:ul)?',
  'κλειδί|مفتاح|رمز|מפתח|कुंजी',
  '密钥|密鑰|秘钥|令牌|秘密鍵|秘密キー|(?:API|アクセス|シークレット)\\s?キー|トークン|シークレット|(?:API|비밀|액세스)\\s?키|토큰|khóa (?:api|bí mật)|kunci (?:api|rahasia)|คีย์',
];

const SCRIPT_WITH_BLANKS = '(?:\\p{sc=Latin}|\\p{sc=Cyrillic}|\\p{sc=Greek}|\\p{M})';
const named = (names: readonly string[]): string => `(?:${names.join('|')})(?!${SCRIPT_WITH_BLANKS})`;

export const PASSWORD_NAME = named(PASSWORDS);
/** Matches only capitals, because "to pin" is also a verb. */
export const PIN_NAME = '(?<![\\p{L}\\d])PIN(?:-?[Cc]ode|-?CODE)?(?!\\p{L})';
export const KEY_NAME = named(KEYS);

/** Words that mean "is", or that introduce a new value. */
const COPULAS =
  'is now|is|was|are|equals|to|as|ist|lautet|heißt|war|sind|auf|est|était|sera|es|era|será|é|è|sarà|är|er|on|jest|to|brzmi|je|este|e|là|adalah|ialah|это|есть|είναι|هو|هي|है|olarak';
const CJK_COPULAS = '是|为|為|就是|设为|設為|改成|は|が|を|는|은|이|가|를|을|คือ';

/** After these words the value has yet to follow. */
const STILL = '\\s(?:changed|set|reset|updated|now|still|always|just|currently|being)\\s';

/** A sign of assignment. */
export const SIGN =
  '(?:[_-](?:base|value|prod(?:uction)?|staging|dev|test|live|new|old|\\d))?["\'`*_\\])]{0,4}\\s{0,3}(?::=|=>|->|→|={1,2}|:|—|–)[*_]{0,3}\\s{0,3}';
/** A copula, and the words between a name and the copula. */
export const COPULA = `(?:[^\\S\\n]+[^\\s.:=;!?,|]{1,30}){0,6}?[^\\S\\n]+(?:${COPULAS})(?![\\p{L}\\p{M}])(?!${STILL}):?\\s{0,3}|[^\\S\\n]?(?:${CJK_COPULAS}):?[^\\S\\n]{0,2}`;
