"""A device as users of paho write it: publishes each line of its input, carries out its commands, and prints what paho reports as lines of JSON."""
import json
import sys
import threading

import paho.mqtt.client as mqtt

given = json.loads(sys.argv[1])
version = {"3.1.1": mqtt.MQTTv311, "5": mqtt.MQTTv5}[given["version"]]
# From 2.0 on paho asks for the version of its callbacks; Debian 12 has 1.6.
callbacks = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []


# Reports come from paho's thread and from this one: a line is written as a whole.
writing = threading.Lock()


def report(event, code=None, **more):
    line = json.dumps({"event": event, "code": getattr(code, "value", code), **more})
    with writing:
        print(line, flush=True)


commands = f"v1/devices/{given['id']}/command"


def on_connect(client, data, flags, code, *more):
    report("connected", code)
    # What waits comes after each SUBACK: a device subscribes whenever it has connected.
    if given.get("commands"):
        client.subscribe(commands, 1)


def on_message(client, data, message):
    command = json.loads(message.payload)
    report("command", command=command, topic=message.topic, qos=message.qos, retain=bool(message.retain))
    done = {"status": "done", "message": "Restarted", "result": {"was": command["name"]}}
    client.publish(f"{commands}/{command['id']}", json.dumps(done), 1)


client = mqtt.Client(*callbacks, client_id=given["id"], protocol=version)
client.username_pw_set(given["id"], given["access_key"])
client.tls_set(ca_certs=given["certificate"])
client.reconnect_delay_set(1, 1)
client.on_connect = on_connect
client.on_subscribe = lambda client, data, message, granted, *more: report("subscribed", granted[0])
client.on_message = on_message
client.on_publish = lambda client, data, message, *more: report("published", message=message)
client.on_disconnect = lambda client, data, code, *more: report("disconnected", code)
client.connect_async("localhost", given["port"])
client.loop_start()
for line in sys.stdin:
    asked = json.loads(line)
    sent = client.publish(asked["topic"], asked["payload"], asked["qos"])
    report("queued", message=sent.mid)
client.disconnect()
client.loop_stop()
