/** What was done, in sentences of the page Activity, in German. */
import type { ActNames, ActWords } from './acts-en.ts';

const von = (name: string): string => (name === '' ? '' : ` von ${name}`);
const genannt = (was: string, { thing }: ActNames): string => (thing === '' ? was : `${was} „${thing}“`);

export const ACTS_DE: ActWords = {
  acts: {
    access: { done: ({ request }) => `Anfrage ${request}`, refused: ({ request }) => `Nicht erlaubt: ${request}` },
    login: { done: () => 'Angemeldet', refused: () => 'Anmeldung fehlgeschlagen' },
    logout: { done: () => 'Abgemeldet', refused: () => 'Abmeldung abgelehnt' },
    reauthenticated: { done: () => 'Identität bestätigt', refused: () => 'Bestätigung fehlgeschlagen' },
    'second-factor-added': {
      done: ({ user }) => `Zwei-Schritt-Anmeldung${von(user)} eingerichtet`,
      refused: ({ user }) => `Nicht erlaubt: Zwei-Schritt-Anmeldung${von(user)} einrichten`,
    },
    'second-factor-removed': {
      done: ({ user }) => `Zwei-Schritt-Anmeldung${von(user)} entfernt`,
      refused: ({ user }) => `Nicht erlaubt: Zwei-Schritt-Anmeldung${von(user)} entfernen`,
    },
    'recovery-codes-made': {
      done: ({ user }) => `Neue Wiederherstellungscodes${von(user)} erzeugt`,
      refused: ({ user }) => `Nicht erlaubt: Wiederherstellungscodes${von(user)} erzeugen`,
    },
    'passkey-renamed': {
      done: ({ user }) => `Passkey${von(user)} umbenannt`,
      refused: ({ user }) => `Nicht erlaubt: Passkey${von(user)} umbenennen`,
    },
    'session-ended': {
      done: ({ user }) => `Sitzung${von(user)} beendet`,
      refused: ({ user }) => `Nicht erlaubt: Sitzung${von(user)} beenden`,
    },
    'user-created': {
      done: ({ user }) => `Benutzer ${user} angelegt`,
      refused: ({ user }) => `Nicht erlaubt: Benutzer ${user} anlegen`,
    },
    'user-deleted': {
      done: ({ user }) => `Benutzer ${user} gelöscht`,
      refused: ({ user }) => `Nicht erlaubt: Benutzer ${user} löschen`,
    },
    'password-changed': {
      done: ({ user }) => `Passwort${von(user)} geändert`,
      refused: ({ user }) => `Nicht erlaubt: Passwort${von(user)} ändern`,
    },
    'role-changed': {
      done: ({ user }) => `Rolle${von(user)} geändert`,
      refused: ({ user }) => `Nicht erlaubt: Rolle${von(user)} ändern`,
    },
    'validity-changed': {
      done: ({ user }) => `Gültigkeit${von(user)} geändert`,
      refused: ({ user }) => `Nicht erlaubt: Gültigkeit${von(user)} ändern`,
    },
    'custom-role-changed': {
      done: ({ role }) => `Rolle ${role} gespeichert`,
      refused: ({ role }) => `Nicht erlaubt: Rolle ${role} speichern`,
    },
    'custom-role-deleted': {
      done: ({ role }) => `Rolle ${role} gelöscht`,
      refused: ({ role }) => `Nicht erlaubt: Rolle ${role} löschen`,
    },
    'sign-in-connected': {
      done: ({ user, provider }) => `Anmeldung bei ${provider}${user === '' ? '' : ` für ${user}`} verbunden`,
      refused: ({ provider }) => `Anmeldung bei ${provider} konnte nicht verbunden werden`,
    },
    'sign-in-removed': {
      done: ({ user, provider }) => `Anmeldung bei ${provider}${user === '' ? '' : ` für ${user}`} getrennt`,
      refused: ({ provider }) => `Nicht erlaubt: Anmeldung bei ${provider} trennen`,
    },
    'invitation-made': {
      done: ({ user }) => `Link für ${user} erstellt, um ein Passwort festzulegen`,
      refused: ({ user }) => `Nicht erlaubt: Link für ${user} erstellen`,
    },
    'invitation-revoked': {
      done: ({ user }) => `Link für ${user} widerrufen`,
      refused: ({ user }) => `Nicht erlaubt: Link für ${user} widerrufen`,
    },
    'invitation-used': {
      done: ({ user }) => `Link für ${user} benutzt`,
      refused: () => 'Ein Link zum Festlegen eines Passworts wurde nicht angenommen',
    },
    'token-created': {
      done: (names) => `${genannt('API-Token', names)}${von(names.user)} erstellt`,
      refused: ({ user }) => `Nicht erlaubt: API-Token${von(user)} erstellen`,
    },
    'token-revoked': {
      done: (names) => `${genannt('API-Token', names)}${von(names.user)} widerrufen`,
      refused: (names) => `Nicht erlaubt: ${genannt('API-Token', names)} widerrufen`,
    },
    'token-refused': {
      done: (names) => genannt('API-Token', names),
      refused: (names) => `${genannt('API-Token', names)} wurde nicht angenommen`,
    },
    'link-created': {
      done: (names) => `${genannt('Link', names)} erstellt`,
      refused: () => 'Nicht erlaubt: Link erstellen',
    },
    'link-revoked': {
      done: (names) => `${genannt('Link', names)} widerrufen`,
      refused: (names) => `Nicht erlaubt: ${genannt('Link', names)} widerrufen`,
    },
    'link-opened': {
      done: (names) => `${genannt('Link', names)} wurde geöffnet`,
      refused: (names) => `${genannt('Link', names)} wurde nicht geöffnet`,
    },
    'link-first-opened': {
      done: (names) => `${genannt('Link', names)} wurde zum ersten Mal geöffnet`,
      refused: (names) => `${genannt('Link', names)} wurde nicht geöffnet`,
    },
    'link-pin': {
      done: (names) => `PIN für ${genannt('Link', names)} eingegeben`,
      refused: (names) => `Falsche PIN für ${genannt('Link', names)}`,
    },
    'limit-lifted': {
      done: () => 'Anmeldesperre aufgehoben',
      refused: () => 'Nicht erlaubt: Anmeldesperre aufheben',
    },
    'canary-leak': {
      done: ({ camera }) =>
        `Der Canary bekam ${camera === '' ? 'eine fremde Kamera' : `die fremde Kamera ${camera}`} zu sehen`,
      refused: () => 'Der Canary wurde abgelehnt',
    },
    'viewed-as': {
      done: ({ user }) => `Seiten als ${user} angesehen`,
      refused: ({ user }) => `Nicht erlaubt: Seiten als ${user} ansehen`,
    },
    'ledger-forgotten': {
      done: ({ records }) => `Alte Aktivität gelöscht${records === '' ? '' : `: ${records} Einträge`}`,
      refused: () => 'Alte Aktivität wurde nicht gelöscht',
    },
    'ledger-dropped': {
      done: ({ records }) => `Aktivität verloren: ${records} Einträge konnten nicht gespeichert werden`,
      refused: () => 'Aktivität verloren',
    },
    'new-device': {
      done: ({ user }) => `Anmeldung${von(user)} von einem neuen Gerät`,
      refused: () => 'Anmeldung fehlgeschlagen',
    },
    'new-network': {
      done: ({ user }) => `Anmeldung${von(user)} aus einem neuen Netzwerk`,
      refused: () => 'Anmeldung fehlgeschlagen',
    },
  },
  times: (sentence, times) => (times > 1 ? `${sentence}, ${times}-mal` : sentence),
  viewings: {
    live: ({ camera }) => (camera === '' ? 'Live angesehen' : `${camera} live angesehen`),
    history: ({ camera }) => (camera === '' ? 'Aufnahmen angesehen' : `Aufnahmen von ${camera} angesehen`),
    export: ({ camera }) => (camera === '' ? 'Aufnahmen exportiert' : `Aufnahmen von ${camera} exportiert`),
  },
  others: {
    login: 'Angemeldet',
    'login-failed': 'Anmeldung fehlgeschlagen',
    logout: 'Abgemeldet',
    change: 'Etwas wurde geändert',
    refusal: 'Etwas war nicht erlaubt',
    link: 'Ein Link wurde benutzt',
    notice: 'Hinweis',
  },
  loginBy: { passkey: 'Mit einem Passkey angemeldet', provider: (name) => `Über ${name} angemeldet` },
  failures: {
    'bad-credentials': 'Falsches Passwort',
    'bad-code': 'Falscher Code',
    'second-factor-asked': 'Richtiges Passwort; nach dem Code wurde gefragt',
    'rate-limited': 'Anmeldung nach zu vielen Versuchen gesperrt',
    busy: 'Anmeldung abgelehnt: Der Server war ausgelastet',
    'password-off': 'Die Anmeldung mit Passwort ist ausgeschaltet',
    'account-ended': 'Anmeldung abgelehnt: Das Konto ist abgelaufen',
    'account-not-begun': 'Anmeldung abgelehnt: Das Konto gilt noch nicht',
    'role-missing': 'Anmeldung abgelehnt: Das Konto hat keine Rolle',
    'outside-hours': 'Anmeldung außerhalb der Zeiten der Rolle abgelehnt',
    'passkey-unknown': 'Unbekannter Passkey',
    'passkey-cloned': 'Passkey abgelehnt: Er scheint eine Kopie zu sein',
    'passkey-challenge-over': 'Die Anmeldung mit einem Passkey hat zu lange gedauert',
    'bad-token': 'Falsches API-Token als Passwort',
    'token-of-another': 'API-Token eines anderen Benutzers als Passwort',
    'token-not-for-login': 'API-Token, das nicht für die Anmeldung gilt',
    'sign-in-away': 'Anmeldung fehlgeschlagen: Der Anbieter hat nicht geantwortet',
    'sign-in-declined': 'Anmeldung vom Anbieter abgelehnt',
    'sign-in-unfit': 'Anmeldung fehlgeschlagen: Die Antwort des Anbieters beweist nichts',
    'sign-in-no-role': 'Anmeldung abgelehnt: Keine Gruppe der Person hat eine Rolle',
    'sign-in-not-connected': 'Anmeldung abgelehnt: Kein Konto ist verbunden',
    'sign-in-name-taken': 'Anmeldung abgelehnt: Der Benutzername ist vergeben',
  },
  fields: {
    role: 'Rolle',
    provider: 'Anbieter der Anmeldung',
    limited: 'War gesperrt',
    names: 'Versuchte Namen',
    route: 'Route',
    agent: 'Browser',
    day: 'Bis zum',
  },
};
