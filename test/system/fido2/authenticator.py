# An authenticator in software behind Debian's python3-fido2, whose client talks CTAP2 with it as with a security key.
# Reads one JSON command per line: {"do": "create" | "get", "origin": ..., "options": ...}; writes what a browser would return.
import json
import os
import sys

from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.client import ClientError, Fido2Client
from fido2.cose import ES256
from fido2.ctap import CtapDevice
from fido2.ctap2 import AttestedCredentialData, AuthenticatorData
from fido2.hid import CAPABILITY, CTAPHID
from fido2.utils import sha256, websafe_decode, websafe_encode

aaguid = b"landbridge-tests"
UP, UV, AT = 0x01, 0x04, 0x40


class Software(CtapDevice):
    capabilities = CAPABILITY.CBOR

    def __init__(self):
        self.keys = {}
        self.counter = 0

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        assert cmd == CTAPHID.CBOR
        sent = cbor.decode(data[1:]) if len(data) > 1 else {}
        status, reply = {1: self.make, 2: self.get, 4: self.info}[data[0]](sent)
        return bytes([status]) + (cbor.encode(reply) if reply is not None else b"")

    @classmethod
    def list_devices(cls):
        return iter([])

    def info(self, _):
        return 0, {1: ["FIDO_2_0"], 3: aaguid, 4: {"rk": True, "up": True, "uv": True}}

    def make(self, sent):
        rp, user = sent[2], sent[3]
        if any(one["id"] in self.keys for one in sent.get(5, [])):
            return 0x19, None
        credential_id = os.urandom(48)
        key = ec.generate_private_key(ec.SECP256R1(), default_backend())
        self.keys[credential_id] = (key, rp["id"], user["id"])
        cose = ES256.from_cryptography_key(key.public_key())
        attested = AttestedCredentialData.create(aaguid, credential_id, cose)
        data = AuthenticatorData.create(sha256(rp["id"].encode()), UP | UV | AT, self.counter, attested)
        signature = key.sign(data + sent[1], ec.ECDSA(hashes.SHA256()))
        # Attested by itself, as many authenticators do whatever they are asked for.
        return 0, {1: "packed", 2: bytes(data), 3: {"alg": ES256.ALGORITHM, "sig": signature}}

    def get(self, sent):
        allowed = [one["id"] for one in sent.get(3, [])]
        own = [id for id, (_, rp_id, _) in self.keys.items() if rp_id == sent[1] and (not allowed or id in allowed)]
        if not own:
            return 0x2E, None
        key, rp_id, user_id = self.keys[own[-1]]
        self.counter += 1
        data = AuthenticatorData.create(sha256(rp_id.encode()), UP | UV, self.counter)
        signature = key.sign(data + sent[2], ec.ECDSA(hashes.SHA256()))
        descriptor = {"type": "public-key", "id": own[-1]}
        return 0, {1: descriptor, 2: bytes(data), 3: signature, 4: {"id": user_id}}


device = Software()


def with_bytes(options):
    options["challenge"] = websafe_decode(options["challenge"])
    for name in ("excludeCredentials", "allowCredentials"):
        for one in options.get(name) or []:
            one["id"] = websafe_decode(one["id"])
            one.pop("transports", None)
    if "user" in options:
        options["user"]["id"] = websafe_decode(options["user"]["id"])
        # This version does not know the newer of the two names.
        options["authenticatorSelection"] = {"requireResidentKey": True, "userVerification": "required"}
        options.pop("hints", None)
    options.pop("extensions", None)
    return options


def respond(command):
    # The browser's rule on domains, which this version knows for https only.
    client = Fido2Client(device, command["origin"], verify=lambda rp_id, origin: "//" + rp_id in origin)
    options = with_bytes(command["options"])
    if command["do"] == "create":
        made = client.make_credential(options)
        id = websafe_encode(made.attestation_object.auth_data.credential_data.credential_id)
        response = {
            "clientDataJSON": websafe_encode(made.client_data),
            "attestationObject": websafe_encode(made.attestation_object.with_string_keys()),
        }
    else:
        got = client.get_assertion(options).get_response(0)
        id = websafe_encode(got.credential_id)
        response = {
            "clientDataJSON": websafe_encode(got.client_data),
            "authenticatorData": websafe_encode(got.authenticator_data),
            "signature": websafe_encode(got.signature),
            "userHandle": websafe_encode(got.user_handle),
        }
    return {"id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {}, "response": response}


for line in sys.stdin:
    try:
        print(json.dumps(respond(json.loads(line))), flush=True)
    except ClientError as error:
        print(json.dumps({"error": error.code.name}), flush=True)
